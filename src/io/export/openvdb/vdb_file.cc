/* OpenVDB files: sparse grids with a transform from cells to the world. The one file in C++. */
#include "io/export/openvdb/vdb_file.h"

#include <cstdio>
#include <openvdb/openvdb.h>
#include <openvdb/tools/Dense.h>
#include <openvdb/tools/Prune.h>

namespace {

template <typename Grid, typename Value>
openvdb::GridBase::Ptr make_grid(const VdbBox &box, const VdbGrid &from, Value background,
                                 Value tolerance) {
    const openvdb::CoordBBox cells(0, 0, 0, box.n[0] - 1, box.n[1] - 1, box.n[2] - 1);
    /* Read only: the library takes no pointer to const. */
    auto *values = const_cast<Value *>(reinterpret_cast<const Value *>(from.values));
    const openvdb::tools::Dense<Value, openvdb::tools::LayoutXYZ> dense(cells, values);
    typename Grid::Ptr grid = Grid::create(background);
    openvdb::tools::copyFromDense(dense, *grid, tolerance, true);
    return grid;
}

/* A narrow band, as the library's tools expect: farther off there is only a sign. */
void keep_band(openvdb::FloatGrid &grid) {
    const float far = grid.background();
    for (auto cell = grid.beginValueOn(); cell; ++cell) {
        if (*cell > -far && *cell < far) continue;
        cell.setValue(*cell < 0 ? -far : far);
        cell.setValueOff();
    }
    openvdb::tools::pruneLevelSet(grid.tree());
}

/* Index (i, j, k) is the middle of a cell. */
openvdb::math::Transform::Ptr transform_of(const VdbBox &box) {
    auto transform = openvdb::math::Transform::createLinearTransform(box.spacing);
    const double half = 0.5 * box.spacing;
    transform->postTranslate(
        openvdb::Vec3d(box.origin[0] + half, box.origin[1] + half, box.origin[2] + half));
    return transform;
}

openvdb::GridBase::Ptr grid_of(const VdbBox &box, const VdbGrid &from) {
    openvdb::GridBase::Ptr grid;
    if (from.columns == 3) {
        const openvdb::Vec3s none(0, 0, 0);
        grid = make_grid<openvdb::Vec3SGrid, openvdb::Vec3s>(box, from, none, none);
        grid->setVectorType(openvdb::VEC_CONTRAVARIANT_RELATIVE);
    } else {
        grid = make_grid<openvdb::FloatGrid, float>(box, from, from.background, 0.0f);
        if (from.is_level) keep_band(*openvdb::gridPtrCast<openvdb::FloatGrid>(grid));
        grid->setGridClass(from.is_level ? openvdb::GRID_LEVEL_SET : openvdb::GRID_FOG_VOLUME);
    }
    grid->setName(from.name);
    grid->setTransform(transform_of(box));
    return grid;
}

} // namespace

extern "C" bool vdb_file_write(const char *path, const VdbBox *box, const VdbGrid *grids,
                               size_t count, double time, char message[VDB_MESSAGE_CAPACITY]) {
    try {
        openvdb::initialize();
        openvdb::GridPtrVec all;
        for (size_t i = 0; i < count; i++) all.push_back(grid_of(*box, grids[i]));
        openvdb::MetaMap about;
        about.insertMeta("creator", openvdb::StringMetadata("Plimsoll"));
        about.insertMeta("time", openvdb::DoubleMetadata(time));
        openvdb::io::File file(path);
        file.write(all, about);
        file.close();
        return true;
    } catch (const std::exception &error) {
        std::snprintf(message, VDB_MESSAGE_CAPACITY, "%s", error.what());
        return false;
    }
}
