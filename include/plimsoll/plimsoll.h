/* Plimsoll: solids and fluids that push on each other. This header includes all others. */
#ifndef PLIMSOLL_PLIMSOLL_H
#define PLIMSOLL_PLIMSOLL_H

#include "plimsoll/base.h"
#include "plimsoll/joints.h"
#include "plimsoll/rigid.h"
#include "plimsoll/scene.h"
#include "plimsoll/world.h"

#endif
