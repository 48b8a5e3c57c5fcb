#include "inner.h"

long inner_mix(long value) {
    for (int round = 0; round < 3; round++) {
        value = value * 31 + round;
    }
    return value;
}
