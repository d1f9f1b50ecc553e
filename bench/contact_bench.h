/* What the files of the benchmark of rigid contact share. */
#ifndef BENCH_CONTACT_BENCH_H
#define BENCH_CONTACT_BENCH_H

#include "plimsoll/rigid.h"

typedef enum ContactPile { PILE_RINGS, PILE_BOXES, PILE_BONES } ContactPile;

/* The bodies of scenes/rigid/{rings,boxes,bones}.yaml with `count` of those that fall, seed 1. A
 * count of rings that fills no whole layer of a hundred leaves places of the top layer free, where
 * the scene rounds. */
PlimStatus contact_pile_create(PlimContext *context, ContactPile pile, size_t count,
                               PlimWorld **out);

#endif
