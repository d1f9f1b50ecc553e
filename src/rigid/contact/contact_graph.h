/* The contact graph of rigid bodies (000 section 2.8.1): what must hold of it. It is built by
 * contacts_build_graph and contacts_build_islands (contact_stages.h). */
#ifndef RIGID_CONTACT_GRAPH_H
#define RIGID_CONTACT_GRAPH_H

#include "rigid/contact/contacts.h"

/* Edges from each body to those it rests on. */
typedef struct SupportGraph {
    size_t count;
    int32_t *first; /* count + 1 */
    int32_t *support;
} SupportGraph;

/* The first thing wrong as text, or NULL. */

/* A body is above what it rests on, or of the same level where bodies rest on each other in a
 * circle. */
const char *support_levels_problem(const SupportGraph *graph, const int32_t *levels);

/* Pairs are sorted and of bodies that exist; levels of bodies start with 0 for those that forces do
 * not move and 1 for the others; a pair has the level of the higher one. */
const char *contact_graph_problem(const RigidContacts *contacts);

/* Islands follow one another, hold every pair in contact once, the pairs of an island by level, and
 * a body that moves is in one island. */
const char *contact_islands_problem(const RigidContacts *contacts);

#endif
