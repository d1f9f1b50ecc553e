/* The foundations: memory and messages, arrays, scratch, threads, random numbers, hashes, state. */
#include "ration.h"

#include "base/array.h"
#include "base/clock.h"
#include "base/hash.h"
#include "base/parallel.h"
#include "base/random.h"
#include "base/state.h"

#include <string.h>

/* Context */

static void context_counts_memory(void **state) {
    (void)state;
    Ration ration = {.left = 1000};
    PlimContext *context = rationed_context(&ration);
    assert_int_equal(plim_context_bytes(context), 0);
    double *a = context_allocate(context, 10, sizeof *a);
    for (int i = 0; i < 10; i++) assert_close(a[i], 0.0, 0.0);
    assert_int_equal(plim_context_bytes(context), 80);
    a[9] = 5.0;
    a = context_resize(context, a, 10, 1000, sizeof *a);
    assert_close(a[9], 5.0, 0.0);
    for (int i = 10; i < 1000; i++) assert_close(a[i], 0.0, 0.0);
    assert_int_equal(plim_context_bytes(context), 8000);
    a = context_resize(context, a, 1000, 2, sizeof *a);
    assert_int_equal(plim_context_bytes(context), 16);
    assert_int_equal(plim_context_peak_bytes(context), 8000);
    assert_int_equal(plim_context_allocations(context), 3);
    char *text = context_copy_text(context, "freeboard");
    assert_string_equal(text, "freeboard");
    assert_int_equal(plim_context_bytes(context), 26);
    context_free_text(context, text);
    context_free_text(context, NULL);
    void *empty = context_allocate(context, 0, 24);
    assert_non_null(empty);
    context_free(context, empty, 0, 24);
    assert_null(context_resize(context, a, 2, 0, sizeof *a));
    test_context_close(context);
    assert_int_equal(ration.held, 0);
}

static void context_survives_refusal(void **state) {
    (void)state;
    PlimContextDesc desc = plim_context_desc_default();
    Ration ration = {.left = 0};
    desc.allocator = (PlimAllocator){ration_resize, &ration};
    PlimContext *context = (PlimContext *)&ration;
    assert_int_equal(plim_context_create(&desc, &context), PLIM_OUT_OF_MEMORY);
    assert_null(context);
    desc.threads = -1;
    assert_int_equal(plim_context_create(&desc, &context), PLIM_BAD_INPUT);

    ration.left = 2;
    context = rationed_context(&ration);
    int32_t *a = context_allocate(context, 4, sizeof *a);
    a[3] = 7;
    assert_null(context_resize(context, a, 4, 8, sizeof *a));
    assert_non_null(strstr(plim_message(context), "out of memory"));
    assert_int_equal(a[3], 7);
    assert_int_equal(plim_context_bytes(context), 16);
    assert_null(context_allocate(context, SIZE_MAX / 4, 8)); /* the product would wrap around */
    assert_non_null(strstr(plim_message(context), "do not fit"));
    assert_null(context_copy_text(context, "no room"));
    context_free(context, a, 4, sizeof *a);
    test_context_close(context);
    assert_int_equal(ration.held, 0);
    plim_context_destroy(NULL);
}

typedef struct LogCopy {
    int lines;
    PlimLogLevel level;
    char text[64];
} LogCopy;

static void copy_line(void *user, PlimLogLevel level, const char *line) {
    LogCopy *copy = user;
    copy->lines++;
    copy->level = level;
    snprintf(copy->text, sizeof copy->text, "%s", line);
}

static void context_keeps_messages(void **state) {
    (void)state;
    LogCopy copy = {0};
    PlimContextDesc desc = plim_context_desc_default();
    desc.log = copy_line;
    desc.log_user = &copy;
    PlimContext *context = NULL;
    assert_int_equal(plim_context_create(&desc, &context), PLIM_OK);
    assert_true(context->threads >= 1);
    assert_string_equal(plim_message(context), "");
    assert_int_equal(context_fail(context, PLIM_IO_ERROR, "cannot read %s", "hull"), PLIM_IO_ERROR);
    /* A message may quote the one before it. */
    context_fail(context, PLIM_FAILED, "scene: %s", plim_message(context));
    assert_string_equal(plim_message(context), "scene: cannot read hull");
    char huge[2 * MESSAGE_CAPACITY];
    memset(huge, 'x', sizeof huge - 1);
    huge[sizeof huge - 1] = 0;
    context_fail(context, PLIM_FAILED, "%s", huge);
    assert_int_equal(strlen(plim_message(context)), MESSAGE_CAPACITY - 1);
    context_log(context, PLIM_LOG_WARNING, "step %d", 12);
    assert_int_equal(copy.lines, 1);
    assert_int_equal(copy.level, PLIM_LOG_WARNING);
    assert_string_equal(copy.text, "step 12");
    assert_string_equal(plim_status_name(PLIM_OUT_OF_MEMORY), "out of memory");
    assert_string_equal(plim_status_name((PlimStatus)99), "unknown status");
    test_context_close(context);
}

/* Array */

static void array_grows(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    ARRAY(int32_t) array = {0};
    for (int32_t i = 0; i < 10000; i++) assert_true(array_push(context, &array, i * i % 997));
    assert_int_equal(array.count, 10000);
    for (int32_t i = 0; i < 10000; i++) assert_int_equal(array.data[i], i * i % 997);
    assert_true(plim_context_allocations(context) < 30); /* grows by a factor, not item by item */
    size_t capacity = array.capacity;
    assert_true(array_reserve(context, &array, capacity - array.count));
    assert_int_equal(array.capacity, capacity);
    assert_true(array_reserve(context, &array, 5 * capacity));
    assert_true(array.capacity >= array.count + 5 * capacity);
    array_free(context, &array);
    array_free(context, &array);
    assert_null(array.data);
    test_context_close(context);
}

static void array_keeps_its_items_when_memory_is_out(void **state) {
    (void)state;
    Ration ration = {.left = 2};
    PlimContext *context = rationed_context(&ration);
    ARRAY(uint64_t) array = {0};
    uint64_t pushed = 0;
    while (array_push(context, &array, pushed * 3)) pushed++;
    assert_int_equal(array.count, pushed);
    assert_true(pushed > 0);
    for (uint64_t i = 0; i < pushed; i++) assert_int_equal(array.data[i], 3 * i);
    array_free(context, &array);
    test_context_close(context);
}

/* Scratch */

static void check_block(const unsigned char *block, size_t size, unsigned char value) {
    for (size_t i = 0; i < size; i++) assert_int_equal(block[i], value);
}

static void scratch_overflows_then_grows(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    Scratch scratch;
    scratch_init(&scratch, context);
    uint64_t settled = 0;
    for (int step = 0; step < 5; step++) {
        unsigned char *blocks[10];
        for (int i = 0; i < 10; i++) {
            blocks[i] = scratch_take(&scratch, (size_t)(37 * i), 3); /* the first holds nothing */
            assert_int_equal((uintptr_t)blocks[i] % 64, 0);
            memset(blocks[i], 10 * step + i, (size_t)(111 * i));
        }
        for (int i = 0; i < 10; i++)
            check_block(blocks[i], (size_t)(111 * i), (unsigned char)(10 * step + i));
        assert_true(scratch.used >= 111 * 45);
        assert_int_equal(scratch.high_water, scratch.used);
        assert_int_equal(scratch_reset(&scratch), PLIM_OK);
        assert_int_equal(scratch.used, 0);
        assert_null(scratch.overflow);
        assert_int_equal(scratch.capacity, scratch.high_water);
        if (step == 0) settled = plim_context_allocations(context);
    }
    assert_int_equal(plim_context_allocations(context), settled);
    scratch_free(&scratch);
    test_context_close(context);
}

static void scratch_releases_to_marks(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    Scratch scratch;
    scratch_init(&scratch, context);
    for (int step = 0; step < 2; step++) { /* in overflow blocks first, then in the stack */
        unsigned char *outer = scratch_take(&scratch, 100, 1);
        memset(outer, 1, 100);
        size_t mark = scratch_mark(&scratch);
        unsigned char *inner = scratch_take(&scratch, 200, 1);
        memset(inner, 2, 200);
        size_t deeper = scratch_mark(&scratch);
        memset(scratch_take(&scratch, 1000, 8), 3, 8000);
        scratch_release(&scratch, deeper);
        check_block(inner, 200, 2);
        scratch_release(&scratch, mark);
        assert_int_equal(scratch_mark(&scratch), mark);
        check_block(outer, 100, 1);
        unsigned char *again = scratch_take(&scratch, 200, 1);
        if (step == 1) assert_ptr_equal(again, inner);
        scratch_release(&scratch, 0);
        assert_int_equal(scratch_reset(&scratch), PLIM_OK);
    }
    assert_true(scratch.high_water >= 8300);
    /* Full stack, then an overflow block above it, released in one go. */
    size_t rest = scratch.capacity - 64;
    unsigned char *all = scratch_take(&scratch, rest, 1);
    memset(all, 4, rest);
    size_t full = scratch_mark(&scratch);
    assert_int_equal(full, scratch.capacity);
    memset(scratch_take(&scratch, 1, 1), 5, 1);
    assert_non_null(scratch.overflow);
    scratch_release(&scratch, full);
    assert_null(scratch.overflow);
    check_block(all, rest, 4);
    scratch_release(&scratch, 0);
    scratch_poison(&scratch);
    double *left = scratch_take(&scratch, 8, sizeof *left);
    for (int i = 0; i < 8; i++) assert_true(isnan(left[i]));
    scratch_free(&scratch);
    test_context_close(context);
}

static void scratch_reports_refusal(void **state) {
    (void)state;
    Ration ration = {.left = 2};
    PlimContext *context = rationed_context(&ration);
    Scratch scratch;
    scratch_init(&scratch, context);
    assert_null(scratch_take(&scratch, SIZE_MAX / 2, 4));
    unsigned char *kept = scratch_take(&scratch, 100, 1);
    assert_non_null(kept);
    size_t used = scratch.used;
    assert_null(scratch_take(&scratch, 100, 1));
    assert_int_equal(scratch.used, used);
    memset(kept, 1, 100);
    assert_int_equal(scratch_reset(&scratch), PLIM_OUT_OF_MEMORY); /* cannot grow; stays usable */
    ration.left = 1;
    assert_int_equal(scratch_reset(&scratch), PLIM_OK);
    assert_non_null(scratch_take(&scratch, 100, 1));
    assert_null(scratch.overflow);
    scratch_free(&scratch);
    test_context_close(context);
}

/* Threads */

static void count_visits(void *user, size_t begin, size_t end) {
    int *visits = user;
    for (size_t i = begin; i < end; i++) visits[i]++;
}

static void parallel_for_covers_each_index_once(void **state) {
    (void)state;
    static int visits[5001];
    static const size_t counts[] = {0, 1, 2, 7, 64, 1000, 5000};
    static const size_t grains[] = {1, 3, 64, 6000};
    for (int threads = 1; threads <= 4; threads++) {
        for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
            for (size_t g = 0; g < sizeof grains / sizeof *grains; g++) {
                memset(visits, 0, sizeof visits);
                parallel_for(threads, counts[c], grains[g], count_visits, visits);
                for (size_t i = 0; i <= 5000; i++) assert_int_equal(visits[i], i < counts[c]);
            }
        }
    }
}

/* Terms of very different sizes and both signs: any other order of adding shows in the last bits.
 */
static void wild_terms(void *user, size_t begin, size_t end, double *partial) {
    (void)user;
    for (size_t i = begin; i < end; i++) {
        double term = random_normal(4, 0, i) * exp(5.0 * random_normal(4, 1, i));
        partial[0] += term;
        partial[1] += fabs(term);
        partial[2] += 1.0;
    }
}

static void parallel_sum_has_the_same_bits(void **state) {
    (void)state;
    static const size_t counts[] = {0, 1, 1023, 1024, 1025, 4096, 100003};
    PlimContext *context = test_context(4);
    Scratch scratch;
    scratch_init(&scratch, context);
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
        double one[3], many[3], plain[3] = {0};
        assert_int_equal(parallel_sum(1, counts[c], 3, wild_terms, NULL, &scratch, one), PLIM_OK);
        for (int threads = 2; threads <= 4; threads++) {
            for (int i = 0; i < 3; i++) many[i] = NAN; /* what was there before does not matter */
            assert_int_equal(parallel_sum(threads, counts[c], 3, wild_terms, NULL, &scratch, many),
                             PLIM_OK);
            assert_memory_equal(one, many, sizeof one);
        }
        wild_terms(NULL, 0, counts[c], plain);
        assert_close(one[0], plain[0], 1e-13 * plain[1]);
        assert_close(one[2], (double)counts[c], 0.0);
        assert_int_equal(scratch.used, 0);
    }
    scratch_free(&scratch);
    test_context_close(context);
}

static void parallel_sum_reports_refusal(void **state) {
    (void)state;
    Ration ration = {.left = 1};
    PlimContext *context = rationed_context(&ration);
    Scratch scratch;
    scratch_init(&scratch, context);
    double sum[3];
    assert_int_equal(parallel_sum(1, 10, 3, wild_terms, NULL, &scratch, sum), PLIM_OUT_OF_MEMORY);
    scratch_free(&scratch);
    test_context_close(context);
}

/* Random numbers */

/* The vectors published with Philox 4x32-10. The key is a scrambled seed; these seeds scramble to
 * the keys of the vectors. */
static void random_matches_published_vectors(void **state) {
    (void)state;
    static const struct {
        uint64_t seed, stream, index;
        uint32_t out[4];
    } known[] = {
        {UINT64_C(0x61c8864680b583eb), 0, 0, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
        {UINT64_C(0x31628af67b2131ab),
         UINT64_MAX,
         UINT64_MAX,
         {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
        {UINT64_C(0xa35312e0f807cffc),
         UINT64_C(0x0370734413198a2e),
         UINT64_C(0x85a308d3243f6a88),
         {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        uint32_t out[4];
        random_block(known[i].seed, known[i].stream, known[i].index, out);
        assert_memory_equal(out, known[i].out, sizeof out);
    }
}

enum { SAMPLES = 200000 };

static void random_is_a_pure_function(void **state) {
    (void)state;
    static double forward[1000];
    for (uint64_t i = 0; i < 1000; i++) forward[i] = random_uniform(9, 3, i);
    for (uint64_t i = 1000; i-- > 0;) {
        random_normal(i, i, i);
        assert_close(random_uniform(9, 3, i), forward[i], 0.0);
    }
}

static void random_uniform_has_its_moments(void **state) {
    (void)state;
    double sum = 0.0, squares = 0.0, low = 1.0, high = 0.0;
    for (uint64_t i = 0; i < SAMPLES; i++) {
        double x = random_uniform(1, 2, i);
        assert_true(x >= 0.0 && x < 1.0);
        sum += x;
        squares += (x - 0.5) * (x - 0.5);
        low = fmin(low, x);
        high = fmax(high, x);
    }
    /* Five standard errors. */
    assert_close(sum / SAMPLES, 0.5, 5.0 * sqrt(1.0 / 12.0 / SAMPLES));
    assert_close(squares / SAMPLES, 1.0 / 12.0, 5.0 * sqrt(1.0 / 180.0 / SAMPLES));
    assert_true(low < 1e-4 && high > 1.0 - 1e-4);
}

static void random_normal_has_its_moments(void **state) {
    (void)state;
    double moments[5] = {0};
    for (uint64_t i = 0; i < SAMPLES; i++) {
        double x = random_normal(1, 2, i), power = 1.0;
        for (int k = 0; k < 5; k++, power *= x) moments[k] += power / SAMPLES;
    }
    assert_close(moments[1], 0.0, 5.0 * sqrt(1.0 / SAMPLES));
    assert_close(moments[2], 1.0, 5.0 * sqrt(2.0 / SAMPLES));
    assert_close(moments[3], 0.0, 5.0 * sqrt(15.0 / SAMPLES));
    assert_close(moments[4], 3.0, 5.0 * sqrt(96.0 / SAMPLES));
}

/* Correlation of two sequences with known mean 1/2, in standard errors. */
static double correlation(uint64_t seed, uint64_t stream, uint64_t shift) {
    double sum = 0.0;
    for (uint64_t i = 0; i < SAMPLES; i++)
        sum += (random_uniform(1, 2, i) - 0.5) * (random_uniform(seed, stream, i + shift) - 0.5);
    return 12.0 * sum / sqrt(SAMPLES);
}

static void random_sequences_are_independent(void **state) {
    (void)state;
    assert_close(correlation(1, 2, 1), 0.0, 5.0);                 /* neighbours */
    assert_close(correlation(1, 2, UINT64_C(1) << 32), 0.0, 5.0); /* the index's high half counts */
    assert_close(correlation(1, 3, 0), 0.0, 5.0);                 /* streams */
    assert_close(correlation(1, 2 + (UINT64_C(1) << 32), 0), 0.0, 5.0);
    assert_close(correlation(2, 2, 0), 0.0, 5.0); /* seeds */
    assert_close(correlation(1 + (UINT64_C(1) << 32), 2, 0), 0.0, 5.0);
    assert_close(correlation(1, 2, 0), sqrt(SAMPLES), 5.0); /* the check itself sees equal ones */
}

/* Hash and clock */

static void hash_depends_on_every_byte(void **state) {
    (void)state;
    unsigned char bytes[40] = {0};
    uint64_t seen[1000];
    size_t count = 0;
    for (size_t size = 0; size <= sizeof bytes; size++)
        seen[count++] = hash_bytes(HASH_START, bytes, size); /* zeros: the number counts */
    for (size_t i = 0; i < sizeof bytes; i++) {
        for (int bit = 0; bit < 8; bit++) {
            bytes[i] ^= (unsigned char)(1 << bit);
            seen[count++] = hash_bytes(HASH_START, bytes, sizeof bytes);
            bytes[i] = 0;
        }
    }
    seen[count++] = hash_bytes(HASH_START + 1, bytes, sizeof bytes);
    seen[count++] = hash_text(HASH_START, "position");
    seen[count++] = hash_text(HASH_START, "velocity");
    seen[count++] = hash_text(hash_text(HASH_START, "velocity"), "position");
    seen[count++] = hash_text(hash_text(HASH_START, "position"), "velocity");
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < i; j++) assert_true(seen[i] != seen[j]);
    assert_int_equal(hash_bytes(HASH_START, NULL, 0), hash_bytes(HASH_START, bytes, 0));
    assert_int_equal(hash_text(1, "keel"), hash_bytes(1, "keel", 4));
}

static void hash_mix_moves_half_of_the_bits(void **state) {
    (void)state;
    for (int bit = 0; bit < 64; bit++) {
        int moved = 0;
        for (uint64_t i = 0; i < 200; i++) {
            uint64_t x = hash_mix(i * HASH_START + 17);
            uint64_t change = hash_mix(x) ^ hash_mix(x ^ UINT64_C(1) << bit);
            for (; change; change &= change - 1) moved++;
        }
        assert_close(moved / 200.0, 32.0, 5.0 * 4.0 / sqrt(200.0));
    }
}

static void clock_runs_forward(void **state) {
    (void)state;
    double before = clock_seconds();
    for (int i = 0; i < 1000; i++) {
        double now = clock_seconds();
        assert_true(now >= before);
        before = now;
    }
}

/* State */

typedef struct Fleet {
    StateSize sizes[2];
    double *position;
    double *mass;
    int32_t *port;
    double *speed;
    uint64_t *ticket;
    double *force;
} Fleet;

enum { SHIPS, CARGO };

static const char *const fleet_groups[] = {"ships", "cargo"};
static const StateField fleet_fields[] = {
    {"position", "m", FIELD_F64, FIELD_STATE, 3, SHIPS, offsetof(Fleet, position)},
    {"mass", "kg", FIELD_F64, FIELD_CONSTANT, 1, SHIPS, offsetof(Fleet, mass)},
    {"port", "", FIELD_I32, FIELD_STATE, 1, SHIPS, offsetof(Fleet, port)},
    {"speed", "m/s", FIELD_F64, FIELD_DERIVED, 1, SHIPS, offsetof(Fleet, speed)},
    {"ticket", "", FIELD_U64, FIELD_STATE, 2, CARGO, offsetof(Fleet, ticket)},
    {"force", "N", FIELD_F64, FIELD_WORK, 3, CARGO, offsetof(Fleet, force)},
};
static const StateSchema fleet_schema = {.fields = fleet_fields,
                                         .field_count = 6,
                                         .groups = fleet_groups,
                                         .group_count = 2,
                                         .sizes_offset = offsetof(Fleet, sizes)};

static void fill_fleet(Fleet *fleet, double shift) {
    for (size_t i = 0; i < fleet->sizes[SHIPS].count; i++) {
        for (size_t k = 0; k < 3; k++) fleet->position[3 * i + k] = shift + (double)(3 * i + k);
        fleet->mass[i] = 5.0 + (double)i;
        fleet->port[i] = (int32_t)(i + 100);
        fleet->speed[i] = 1.0;
    }
    for (size_t i = 0; i < fleet->sizes[CARGO].count; i++) {
        fleet->ticket[2 * i] = 7 * i;
        fleet->ticket[2 * i + 1] = 7 * i + 1;
        fleet->force[3 * i] = 2.0;
    }
}

static Fleet make_fleet(PlimContext *context, size_t ships, size_t cargo) {
    Fleet fleet = {0};
    assert_int_equal(state_resize(context, &fleet_schema, &fleet, SHIPS, ships), PLIM_OK);
    assert_int_equal(state_resize(context, &fleet_schema, &fleet, CARGO, cargo), PLIM_OK);
    fill_fleet(&fleet, 0.0);
    return fleet;
}

static void state_resizes(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    assert_int_equal(state_bytes_per_item(&fleet_schema, SHIPS), 24 + 8 + 4 + 8);
    assert_int_equal(state_bytes_per_item(&fleet_schema, CARGO), 16 + 24);
    assert_string_equal(field_type_name(FIELD_I32), "i32");
    assert_int_equal(field_type_size(FIELD_U64), 8);
    Fleet fleet = make_fleet(context, 5, 3);
    assert_int_equal(plim_context_bytes(context), 5 * 44 + 3 * 40);
    assert_int_equal(state_count(&fleet_schema, &fleet, CARGO), 3);
    assert_ptr_equal(state_data(&fleet_fields[2], &fleet), fleet.port);
    assert_int_equal(state_field_bytes(&fleet_schema, &fleet_fields[0], &fleet), 120);
    assert_int_equal(state_resize(context, &fleet_schema, &fleet, SHIPS, 8), PLIM_OK);
    assert_close(fleet.position[14], 14.0, 0.0);
    assert_int_equal(fleet.port[4], 104);
    for (int i = 5; i < 8; i++) assert_close(fleet.mass[i] + fleet.position[3 * i], 0.0, 0.0);
    uint64_t before = plim_context_allocations(context);
    assert_int_equal(state_resize(context, &fleet_schema, &fleet, SHIPS, 8), PLIM_OK);
    assert_int_equal(plim_context_allocations(context), before);
    assert_int_equal(state_resize(context, &fleet_schema, &fleet, SHIPS, 2), PLIM_OK);
    assert_int_equal(fleet.port[1], 101);
    state_free(context, &fleet_schema, &fleet);
    assert_null(fleet.position);
    assert_int_equal(fleet.sizes[SHIPS].count + fleet.sizes[CARGO].count, 0);
    state_free(context, &fleet_schema, &fleet);
    test_context_close(context);
}

static void state_saves_and_restores(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    Fleet fleet = make_fleet(context, 5, 3);
    size_t bytes = state_snapshot_bytes(&fleet_schema, &fleet);
    assert_int_equal(bytes, 5 * (24 + 4) + 3 * 16);
    unsigned char *buffer = context_allocate(context, bytes + 8, 1);
    memset(buffer + bytes, 0xAB, 8);
    state_save(&fleet_schema, &fleet, buffer);
    check_block(buffer + bytes, 8, 0xAB);
    uint64_t hash = state_hash(&fleet_schema, &fleet, HASH_START);

    fill_fleet(&fleet, 1000.0);
    fleet.ticket[5] = 0;
    fleet.mass[0] = -1.0;
    assert_true(state_hash(&fleet_schema, &fleet, HASH_START) != hash);
    size_t used;
    assert_int_equal(state_restore(context, &fleet_schema, &fleet, buffer, &used), PLIM_OK);
    assert_int_equal(used, bytes);
    assert_int_equal(state_hash(&fleet_schema, &fleet, HASH_START), hash);
    for (int i = 0; i < 15; i++) assert_close(fleet.position[i], i, 0.0);
    assert_int_equal(fleet.ticket[5], 15);
    assert_close(fleet.mass[0], -1.0, 0.0); /* constants are not part of a snapshot */

    context_free(context, buffer, bytes + 8, 1);
    state_free(context, &fleet_schema, &fleet);
    test_context_close(context);
}

static void varying_groups_get_their_size_back(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    StateSchema schema = fleet_schema;
    schema.varying = 1u << CARGO;
    Fleet fleet = make_fleet(context, 5, 3), other = make_fleet(context, 5, 9);
    assert_true(state_layout(&schema, &fleet, 1) == state_layout(&schema, &other, 1));
    assert_true(state_layout(&fleet_schema, &fleet, 1) != state_layout(&fleet_schema, &other, 1));
    size_t bytes = state_snapshot_bytes(&schema, &fleet), used;
    unsigned char *buffer = context_allocate(context, bytes, 1);
    state_save(&schema, &fleet, buffer);
    assert_int_equal(state_restore(context, &schema, &other, buffer, &used), PLIM_OK);
    assert_int_equal(used, bytes);
    assert_int_equal(other.sizes[CARGO].count, 3);
    assert_true(state_hash(&schema, &fleet, 1) == state_hash(&schema, &other, 1));
    context_free(context, buffer, bytes, 1);
    state_free(context, &schema, &fleet);
    state_free(context, &schema, &other);
    test_context_close(context);
}

static void state_hash_sees_state_only(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    Fleet fleet = make_fleet(context, 2, 2);
    uint64_t hash = state_hash(&fleet_schema, &fleet, HASH_START);
    assert_true(state_hash(&fleet_schema, &fleet, HASH_START + 1) != hash);
    fleet.position[5] = nextafter(fleet.position[5], 1e9);
    assert_true(state_hash(&fleet_schema, &fleet, HASH_START) != hash);
    fleet.position[5] = 5.0;
    state_poison(&fleet_schema, &fleet);
    assert_int_equal(state_hash(&fleet_schema, &fleet, HASH_START), hash);
    for (int i = 0; i < 2; i++) {
        assert_true(isnan(fleet.speed[i]));
        assert_true(isnan(fleet.force[3 * i + 2]));
        assert_close(fleet.mass[i], 5.0 + i, 0.0);
        assert_int_equal(fleet.port[i], 100 + i);
    }
    state_free(context, &fleet_schema, &fleet);
    assert_true(state_hash(&fleet_schema, &fleet, HASH_START) != hash);
    test_context_close(context);
}

static void state_finds_broken_values(void **state) {
    (void)state;
    PlimContext *context = test_context(1);
    Fleet fleet = make_fleet(context, 4, 1);
    size_t item = 99;
    state_poison(&fleet_schema, &fleet); /* not state: not looked at */
    fleet.mass[0] = INFINITY;
    assert_null(state_find_broken(&fleet_schema, &fleet, &item));
    fleet.position[11] = NAN;
    assert_ptr_equal(state_find_broken(&fleet_schema, &fleet, &item), &fleet_fields[0]);
    assert_int_equal(item, 3);
    fleet.position[4] = -INFINITY;
    assert_ptr_equal(state_find_broken(&fleet_schema, &fleet, &item), &fleet_fields[0]);
    assert_int_equal(item, 1);
    state_free(context, &fleet_schema, &fleet);
    assert_null(state_find_broken(&fleet_schema, &fleet, &item));
    test_context_close(context);
}

static PlimStatus grow_fleet(PlimContext *context, void *user) {
    size_t ships = *(size_t *)user;
    long granted = ration_set(context, LONG_MAX);
    Fleet fleet = make_fleet(context, ships, 2);
    size_t bytes = plim_context_bytes(context);
    uint64_t hash = state_hash(&fleet_schema, &fleet, HASH_START);
    ration_set(context, granted);
    PlimStatus status = state_resize(context, &fleet_schema, &fleet, SHIPS, 50);
    if (status != PLIM_OK) {
        assert_non_null(strstr(plim_message(context), "out of memory"));
        assert_int_equal(fleet.sizes[SHIPS].count, ships);
        assert_int_equal(plim_context_bytes(context), bytes);
        assert_int_equal(state_hash(&fleet_schema, &fleet, HASH_START), hash);
        for (size_t i = 0; i < ships; i++) assert_close(fleet.mass[i], 5.0 + (double)i, 0.0);
        if (ships == 0) assert_null(fleet.position);
        ration_set(context, 4);
        assert_int_equal(state_resize(context, &fleet_schema, &fleet, SHIPS, 50), PLIM_OK);
    }
    for (size_t i = ships; i < 50; i++) assert_close(fleet.mass[i], 0.0, 0.0);
    state_free(context, &fleet_schema, &fleet);
    return status;
}

/* The ration's allocator fails the test when an array is later freed with another size than it was
 * made with. */
static void state_resize_undoes_itself(void **state) {
    (void)state;
    for (size_t ships = 0; ships <= 6; ships += 3)
        starve(&(Starved){.use = grow_fleet, .user = &ships, .least = 4, .most = 4});
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(context_counts_memory),
        cmocka_unit_test(context_survives_refusal),
        cmocka_unit_test(context_keeps_messages),
        cmocka_unit_test(array_grows),
        cmocka_unit_test(array_keeps_its_items_when_memory_is_out),
        cmocka_unit_test(scratch_overflows_then_grows),
        cmocka_unit_test(scratch_releases_to_marks),
        cmocka_unit_test(scratch_reports_refusal),
        cmocka_unit_test(parallel_for_covers_each_index_once),
        cmocka_unit_test(parallel_sum_has_the_same_bits),
        cmocka_unit_test(parallel_sum_reports_refusal),
        cmocka_unit_test(random_matches_published_vectors),
        cmocka_unit_test(random_is_a_pure_function),
        cmocka_unit_test(random_uniform_has_its_moments),
        cmocka_unit_test(random_normal_has_its_moments),
        cmocka_unit_test(random_sequences_are_independent),
        cmocka_unit_test(hash_depends_on_every_byte),
        cmocka_unit_test(hash_mix_moves_half_of_the_bits),
        cmocka_unit_test(clock_runs_forward),
        cmocka_unit_test(state_resizes),
        cmocka_unit_test(state_saves_and_restores),
        cmocka_unit_test(varying_groups_get_their_size_back),
        cmocka_unit_test(state_hash_sees_state_only),
        cmocka_unit_test(state_finds_broken_values),
        cmocka_unit_test(state_resize_undoes_itself),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
