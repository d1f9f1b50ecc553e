/* Objects of glass, sorted by index of refraction and absorption. */
#include "render/glass_parts.h"

#include <string.h>

/* Of the kinds so far, or a new one. */
static int find_kind(GlassParts *parts, const float *look) {
    for (int i = 0; i < parts->kinds; i++)
        if (memcmp(parts->looks[i], look, 4 * sizeof *look) == 0) return i;
    if (parts->kinds == GLASS_KINDS) return GLASS_KINDS - 1;
    parts->looks[parts->kinds] = look;
    return parts->kinds++;
}

PlimStatus glass_parts_create(PlimContext *context, const FrameMesh *mesh,
                              const unsigned char *hidden, GlassParts *out) {
    *out = (GlassParts){.objects = mesh->object_count};
    if (!mesh->glass) return PLIM_OK;
    out->hidden = context_allocate(context, (1 + GLASS_KINDS) * mesh->object_count, 1);
    if (!out->hidden) return PLIM_OUT_OF_MEMORY;
    memset(out->hidden, 1, (1 + GLASS_KINDS) * mesh->object_count);
    for (size_t i = 0; i < mesh->object_count; i++) {
        const float *look = mesh->glass + 4 * i;
        if (hidden && hidden[i]) continue;
        int part = look[0] > 0 ? 1 + find_kind(out, look) : 0;
        out->hidden[(size_t)part * out->objects + i] = 0;
    }
    return PLIM_OK;
}

void glass_parts_free(PlimContext *context, GlassParts *parts) {
    context_free(context, parts->hidden, (1 + GLASS_KINDS) * parts->objects, 1);
    *parts = (GlassParts){0};
}

const unsigned char *glass_parts_hidden(const GlassParts *parts, int kind) {
    return parts->hidden + (size_t)(kind + 1) * parts->objects;
}
