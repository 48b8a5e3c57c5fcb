/* Values are scaled
   before they are summed. */
static inline int scaled(int value)
{
    return value * 3 + 1;
}
