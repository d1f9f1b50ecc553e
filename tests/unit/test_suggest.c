#include "check.h"

#include "base/suggest.h"

#include <string.h>

static const char *const names[] = {"density", "friction", "restitution", "gravity", "fps", "t"};

static const char *nearest(const char *name) {
    const char *found = suggest_name(name, names, sizeof names / sizeof *names);
    return found ? found : "";
}

static void finds_the_nearest(void **state) {
    (void)state;
    assert_string_equal(nearest("density"), "density");
    assert_string_equal(nearest("desnity"), "density"); /* a swap */
    assert_string_equal(nearest("densty"), "density");
    assert_string_equal(nearest("dennsity"), "density");
    assert_string_equal(nearest("FRICTION"), "friction");
    assert_string_equal(nearest("resitutoin"), "restitution");
    assert_string_equal(nearest("fp"), "fps");
    assert_string_equal(nearest("pfs"), "fps");
    assert_string_equal(nearest("T"), "t");
}

static void leaves_the_distant_alone(void **state) {
    (void)state;
    assert_string_equal(nearest("viscosity"), "");
    assert_string_equal(nearest("fxx"), "");
    assert_string_equal(nearest("x"), "");
    assert_string_equal(nearest(""), "");
    assert_null(suggest_name("fps", names, 0));
    char name[400];
    memset(name, 'a', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    assert_string_equal(nearest(name), "");
    const char *const candidates[] = {name, "gravity"};
    assert_string_equal(suggest_name("gravty", candidates, 2), "gravity");
}

/* The first of several that are equally near. */
static void keeps_the_order(void **state) {
    (void)state;
    const char *const candidates[] = {"mass2", "mass1"};
    assert_string_equal(suggest_name("mass", candidates, 2), "mass2");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_the_nearest),
        cmocka_unit_test(leaves_the_distant_alone),
        cmocka_unit_test(keeps_the_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
