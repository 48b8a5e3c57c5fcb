#include "library.h"
#include "inner.h"

static void exchange(long *values, int one, int other) {
    long kept = values[one];
    values[one] = values[other];
    values[other] = kept;
}

void library_sort(long *values, int count, library_order order) {
    for (int done = 1; done < count; done++) {
        for (int place = done; place > 0; place--) {
            if (order(values[place - 1], values[place]) <= 0) {
                break;
            }
            exchange(values, place - 1, place);
        }
    }
}

void library_walk(struct library_tree *tree, library_visit visit) {
    if (tree) {
        library_walk(tree->left, visit);
        visit(tree->value);
        library_walk(tree->right, visit);
    }
}

long library_checksum(const long *values, int count) {
    long sum = 0;
    for (int place = 0; place < count; place++) {
        sum = sum * 3 + inner_mix(values[place]);
    }
    return sum;
}

long library_square(long value) {
    return value * value;
}
