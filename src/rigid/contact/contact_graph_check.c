/* Validity of the contact graph, for builds with assertions. */
#include "rigid/contact/contact_graph.h"

const char *support_levels_problem(const SupportGraph *graph, const int32_t *levels) {
    if (graph->first[0] != 0) return "the edges of the support graph do not start with the first";
    for (size_t i = 0; i < graph->count; i++) {
        if (graph->first[i + 1] < graph->first[i]) return "a body has fewer than no supports";
        for (int32_t e = graph->first[i]; e < graph->first[i + 1]; e++) {
            int32_t below = graph->support[e];
            if (below < 0 || (size_t)below >= graph->count)
                return "a body rests on one that does not exist";
            if (levels[i] < levels[below]) return "a body is below one that it rests on";
        }
    }
    return NULL;
}

static const char *pair_problem(const RigidContacts *contacts, size_t p) {
    const ContactPair *pair = &contacts->pairs.data[p], *before = p ? pair - 1 : NULL;
    if (pair->a < 0 || pair->a >= pair->b || (size_t)pair->b >= contacts->solver_bodies.count)
        return "a pair is of bodies that do not exist or are not in order";
    if (before && (before->a > pair->a || (before->a == pair->a && before->b >= pair->b)))
        return "pairs are not sorted";
    if (pair->rows < 0 || pair->first < 0 ||
        (size_t)pair->first + (size_t)pair->rows > contacts->rows.count)
        return "a pair has points that do not exist";
    return NULL;
}

const char *contact_graph_problem(const RigidContacts *contacts) {
    const int32_t *levels = contacts->levels.data;
    if (contacts->levels.count != contacts->solver_bodies.count) return "bodies without a level";
    for (size_t i = 0; i < contacts->levels.count; i++)
        if (contacts->solver_bodies.data[i].moves ? levels[i] < 1 : levels[i] != 0)
            return "a body that forces move has no level, or another one has";
    for (size_t p = 0; p < contacts->pairs.count; p++) {
        const char *problem = pair_problem(contacts, p);
        if (problem) return problem;
        const ContactPair *pair = &contacts->pairs.data[p];
        int32_t a = levels[pair->a], b = levels[pair->b];
        if (pair->level != (a > b ? a : b)) return "a pair has not the level of its higher body";
    }
    return NULL;
}

static const char *island_problem(const RigidContacts *contacts, size_t number) {
    const ContactIsland *island = &contacts->islands.data[number];
    int32_t level = 0;
    for (size_t k = island->first; k < island->first + island->pairs; k++) {
        int32_t p = contacts->island_pairs.data[k];
        if (p < 0 || (size_t)p >= contacts->pairs.count) return "an island has a pair too many";
        const ContactPair *pair = &contacts->pairs.data[p];
        if (!pair->found) return "an island has a pair that is not in contact";
        if (pair->level < level) return "the levels of an island do not increase upward";
        level = pair->level;
        for (int side = 0; side < 2; side++) {
            int32_t body = side ? pair->b : pair->a;
            if (contacts->body_islands.data[body] !=
                (contacts->solver_bodies.data[body].moves ? (int32_t)number : -1))
                return "a body is not in the island of its contacts";
        }
    }
    return NULL;
}

const char *contact_islands_problem(const RigidContacts *contacts) {
    size_t held = 0, found = 0;
    for (size_t i = 0; i < contacts->islands.count; i++) {
        const ContactIsland *island = &contacts->islands.data[i];
        if (island->first != held || island->pairs == 0 ||
            island->pairs > contacts->island_pairs.count - held)
            return "islands do not follow one another";
        held += island->pairs;
        const char *problem = island_problem(contacts, i);
        if (problem) return problem;
    }
    for (size_t p = 0; p < contacts->pairs.count; p++) found += contacts->pairs.data[p].found;
    if (held != contacts->island_pairs.count || held != found)
        return "a pair in contact is in no island or in two";
    return NULL;
}
