#include <stddef.h>
#include "library.h"

#define COUNT 40

static struct library_tree nodes[COUNT];
static long total;

static int ascending(long one, long other) {
    return one < other ? -1 : one > other;
}

static int by_last_digit(long one, long other) {
    while (one >= 10) {
        one -= 10;
    }
    while (other >= 10) {
        other -= 10;
    }
    return one < other ? -1 : one > other;
}

static void add(long value) {
    total += value;
}

static void fill(long *values, int count) {
    for (int place = 0; place < count; place++) {
        values[place] = (place * 37) % 101;
    }
}

static long sort_upwards(void) {
    long values[COUNT];
    fill(values, COUNT);
    library_sort(values, COUNT, ascending);
    return library_checksum(values, COUNT);
}

static long sort_by_digit(void) {
    long values[COUNT / 2];
    fill(values, COUNT / 2);
    library_sort(values, COUNT / 2, by_last_digit);
    return library_checksum(values, COUNT / 2) + library_square(values[0]);
}

static struct library_tree *tree_of(int first, int count) {
    if (count == 0) {
        return NULL;
    }
    int middle = first + count / 2;
    nodes[middle].value = library_square(middle);
    nodes[middle].left = tree_of(first, count / 2);
    nodes[middle].right = tree_of(middle + 1, count - count / 2 - 1);
    return &nodes[middle];
}

int main(void) {
    long sum = sort_upwards();
    sum += sort_by_digit();
    library_walk(tree_of(0, COUNT), add);
    return (sum + total) % 7 == 9;
}
