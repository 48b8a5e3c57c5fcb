#include "mix.h"
uint32_t first(const Numbers &numbers) {
    uint32_t sum = 0;
    for (uint32_t number : numbers) sum += number;
    return sum;
}
uint32_t second(const Numbers &numbers) {
    uint32_t sum = 1;
    for (uint32_t number : numbers) sum = sum * 31 + number;
    return sum;
}
uint32_t third(const Numbers &numbers) {
    uint32_t copy[256];
    memcpy(copy, numbers.data(), sizeof copy);
    return copy[17] ^ uint32_t(strlen(reinterpret_cast<const char *>(copy)));
}
