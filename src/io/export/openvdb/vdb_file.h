/* OpenVDB files behind a C interface: the library is C++. */
#ifndef IO_EXPORT_VDB_FILE_H
#define IO_EXPORT_VDB_FILE_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { VDB_MESSAGE_CAPACITY = 256 };

/* Values at the cells of a box, x running fastest. */
typedef struct VdbGrid {
    const char *name;
    const float *values;
    int columns;      /* 1, or 3: a velocity */
    bool is_level;    /* a distance, negative inside */
    float background; /* outside the box; cells that have it are not stored. Of a level it is how
                         far from the surface values are kept, on both sides */
} VdbGrid;

typedef struct VdbBox {
    int n[3];
    double spacing, origin[3]; /* m; origin is the lowest corner of the first cell */
} VdbBox;

/* Writes the file; false, with a message, when it could not. */
bool vdb_file_write(const char *path, const VdbBox *box, const VdbGrid *grids, size_t count,
                    double time, char message[VDB_MESSAGE_CAPACITY]);

#ifdef __cplusplus
}
#endif

#endif
