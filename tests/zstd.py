"""Zstd as Python has it: in its own library from 3.14 on, in a package before."""

from __future__ import annotations

import sys

if sys.version_info >= (3, 14):
    from compression.zstd import CompressionParameter, compress, decompress

    def compress_without_size(data: bytes) -> bytes:
        """Compress as a program that writes a stream does: the header has no size."""
        return compress(data, options={CompressionParameter.content_size_flag: 0})

else:
    from zstandard import ZstdCompressor, ZstdDecompressor

    def compress(data: bytes) -> bytes:
        """Compress with a checksum."""
        return ZstdCompressor(write_checksum=True).compress(data)

    def compress_without_size(data: bytes) -> bytes:
        """Compress as a program that writes a stream does: the header has no size."""
        return ZstdCompressor(write_content_size=False).compress(data)

    def decompress(data: bytes) -> bytes:
        return ZstdDecompressor().decompressobj().decompress(data)


__all__ = ["compress", "compress_without_size", "decompress"]
