/* Mesh files as bytes, for tests of the readers. */
#ifndef TESTS_MESH_BYTES_H
#define TESTS_MESH_BYTES_H

#include "check.h"

#include "geom/mesh/mesh_file.h"

#include <string.h>

typedef PlimStatus (*MeshParser)(PlimContext *, const char *, const char *, size_t, TriangleMesh *);

static inline void put_byte(Text *text, unsigned char byte) {
    assert_true(array_push(text->context, &text->bytes, (char)byte));
}

#endif
