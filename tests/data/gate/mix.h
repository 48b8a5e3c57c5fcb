#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>
using Numbers = std::vector<uint32_t>;
uint32_t first(const Numbers &);
uint32_t second(const Numbers &);
uint32_t third(const Numbers &);
