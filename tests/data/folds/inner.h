long inner_mix(long value);
