/* Consistent orientation of triangles, piece by piece. */
#include "geom/mesh/mesh_orient.h"

#include "geom/mesh/mesh_topology.h"

typedef struct Orienter {
    PlimContext *context;
    TriangleMesh *mesh;
    SideList sides;
    JoinedSets sets;
    MeshPieces pieces;
    unsigned char *turned; /* for each triangle, so far */
} Orienter;

static void turn_triangle(Orienter *orienter, size_t i) {
    int32_t *t = orienter->mesh->triangles[i], kept = t[1];
    t[1] = t[2];
    t[2] = kept;
    orienter->turned[i] ^= 1;
}

/* Edge by edge in the order of their vertices, so that on a surface with one side only, where
 * neighbours must disagree somewhere, they do so at the same place however its triangles are turned
 * to begin with, and a second repair changes nothing. */
static void join_neighbors(Orienter *orienter) {
    const SideList *sides = &orienter->sides;
    for (size_t begin = 0, end; begin < sides->count; begin = end) {
        end = side_run_end(sides, begin);
        if (end - begin != 2) continue;
        SortItem a = sides->items[begin], b = sides->items[begin + 1];
        joined_sets_join(&orienter->sets, (int32_t)side_triangle(a), (int32_t)side_triangle(b),
                         side_runs_down(a) == side_runs_down(b));
    }
}

/* Numbers the pieces by their lowest triangles and lists the triangles of each. */
static PlimStatus list_pieces(Orienter *orienter) {
    size_t count = orienter->mesh->triangle_count;
    MeshPieces *pieces = &orienter->pieces;
    bool turned;
    for (size_t i = 0; i < count; i++)
        pieces->count += (size_t)joined_sets_find(&orienter->sets, (int32_t)i, &turned) == i;
    pieces->items = context_allocate(orienter->context, pieces->count, sizeof *pieces->items);
    if (!pieces->items) return PLIM_OUT_OF_MEMORY;
    size_t next = 0;
    for (size_t i = 0; i < count; i++) {
        size_t lead = (size_t)joined_sets_find(&orienter->sets, (int32_t)i, &turned);
        pieces->piece_of[i] = lead == i ? (int32_t)next++ : pieces->piece_of[lead];
        MeshPiece *piece = &pieces->items[pieces->piece_of[i]];
        orienter->turned[i] = turned;
        piece->turned += turned;
        piece->count++;
    }
    for (size_t i = 1; i < pieces->count; i++)
        pieces->items[i].first = pieces->items[i - 1].first + pieces->items[i - 1].count;
    for (size_t i = 0; i < count; i++) {
        MeshPiece *piece = &pieces->items[pieces->piece_of[i]];
        pieces->members[piece->first++] = (int32_t)i;
    }
    for (size_t i = 0; i < pieces->count; i++) pieces->items[i].first -= pieces->items[i].count;
    return PLIM_OK;
}

/* The fewer follow the more; when there are as many of both, the lowest triangle stays. */
static void make_consistent(Orienter *orienter) {
    for (size_t i = 0; i < orienter->mesh->triangle_count; i++) {
        const MeshPiece *piece = &orienter->pieces.items[orienter->pieces.piece_of[i]];
        bool turn = orienter->turned[i] != (piece->turned > piece->count - piece->turned);
        orienter->turned[i] = 0;
        if (turn) turn_triangle(orienter, i);
    }
}

/* A piece is closed when it runs each of its edges as often one way as the other. The list of sides
 * was made before triangles were turned, and is given up here. */
static void find_closed(Orienter *orienter) {
    SideList *sides = &orienter->sides;
    MeshPieces *pieces = &orienter->pieces;
    for (size_t i = 0; i < pieces->count; i++) pieces->items[i].closed = true;
    for (size_t begin = 0, end; begin < sides->count; begin = end) {
        end = side_run_end(sides, begin);
        SortItem *run = sides->items + begin;
        for (size_t i = 0; i < end - begin; i++)
            run[i].key = (uint64_t)pieces->piece_of[side_triangle(run[i])];
        sort_items(run, sides->spare, end - begin);
        for (size_t from = 0, to; from < end - begin; from = to) {
            to = sort_run_end(run, end - begin, from);
            long sum = 0;
            for (size_t i = from; i < to; i++)
                sum += side_runs_down(run[i]) != orienter->turned[side_triangle(run[i])] ? 1 : -1;
            if (sum != 0) pieces->items[run[from].key].closed = false;
        }
    }
}

static void measure_piece(const TriangleMesh *mesh, const MeshPieces *pieces, MeshPiece *piece) {
    const int32_t *member = pieces->members + piece->first;
    piece->box = box3_empty();
    for (size_t i = 0; i < piece->count; i++)
        for (int k = 0; k < 3; k++)
            piece->box = box3_add_point(piece->box, mesh->vertices[mesh->triangles[member[i]][k]]);
    Vec3 middle = box3_center(piece->box);
    double sum = 0.0;
    for (size_t i = 0; i < piece->count; i++) {
        const int32_t *t = mesh->triangles[member[i]];
        Vec3 a = vec3_sub(mesh->vertices[t[0]], middle);
        Vec3 normal = vec3_cross(vec3_sub(mesh->vertices[t[1]], mesh->vertices[t[0]]),
                                 vec3_sub(mesh->vertices[t[2]], mesh->vertices[t[0]]));
        sum += vec3_dot(a, normal);
        piece->surface += vec3_length(a) * vec3_length(normal);
    }
    piece->volume = sum / 6.0;
}

/* A closed piece of no volume, such as two sheets back to back, has no outside: it stays. */
static void turn_pieces(Orienter *orienter) {
    MeshPieces *pieces = &orienter->pieces;
    for (size_t i = 0; i < pieces->count; i++) {
        const MeshPiece *piece = &pieces->items[i];
        if (!piece->closed || !(fabs(piece->volume) > 1e-15 * piece->surface)) continue;
        bool cavity = piece->depth % 2;
        if ((piece->volume < 0.0) == cavity) continue;
        for (size_t k = 0; k < piece->count; k++)
            turn_triangle(orienter, (size_t)pieces->members[piece->first + k]);
    }
}

static PlimStatus orient(Orienter *orienter) {
    PlimContext *context = orienter->context;
    MeshPieces *pieces = &orienter->pieces;
    size_t count = orienter->mesh->triangle_count;
    TRY(side_list_create(context, orienter->mesh, &orienter->sides));
    TRY(joined_sets_create(context, count, &orienter->sets));
    orienter->turned = context_allocate(context, count, sizeof *orienter->turned);
    pieces->piece_of = context_allocate(context, count, sizeof *pieces->piece_of);
    pieces->members = context_allocate(context, count, sizeof *pieces->members);
    if (!orienter->turned || !pieces->piece_of || !pieces->members) return PLIM_OUT_OF_MEMORY;
    join_neighbors(orienter);
    TRY(list_pieces(orienter));
    make_consistent(orienter);
    find_closed(orienter);
    for (size_t i = 0; i < pieces->count; i++)
        measure_piece(orienter->mesh, pieces, &pieces->items[i]);
    TRY(pieces_find_depths(context, orienter->mesh, pieces));
    turn_pieces(orienter);
    return PLIM_OK;
}

PlimStatus mesh_orient(PlimContext *context, TriangleMesh *mesh, size_t *turned) {
    size_t count = mesh->triangle_count;
    Orienter orienter = {.context = context, .mesh = mesh};
    PlimStatus status = orient(&orienter);
    *turned = 0;
    for (size_t i = 0; status == PLIM_OK && i < count; i++) *turned += orienter.turned[i];
    MeshPieces *pieces = &orienter.pieces;
    context_free(context, pieces->items, pieces->count, sizeof *pieces->items);
    context_free(context, pieces->piece_of, count, sizeof *pieces->piece_of);
    context_free(context, pieces->members, count, sizeof *pieces->members);
    context_free(context, orienter.turned, count, sizeof *orienter.turned);
    joined_sets_free(context, &orienter.sets);
    side_list_free(context, &orienter.sides);
    return status;
}
