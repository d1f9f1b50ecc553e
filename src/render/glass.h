/* Glass walls of tanks: thin panes that mirror a little and take a little light. */
#ifndef RENDER_GLASS_H
#define RENDER_GLASS_H

#include "render/shade.h"

/* Light that comes along -direction to the eye, after the panes that stand within `distance`. */
Light glass_look(const RenderGlass *glass, size_t count, const Look *look, Vec3 eye, Vec3 direction,
                 double distance, Light light);

#endif
