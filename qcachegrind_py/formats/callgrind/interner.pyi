# What a type checker sees of interner.py, whether it is compiled or not.
class Interner:
    texts: int
    functions: int
    ids: int
    arena: object
    text_start: memoryview
    text_hash: object
    text_slot: object
    function_name: object
    function_file: object
    function_object: object
    function_slot: object
    id_key: object
    id_value: object
    def rehash(self) -> None: ...
    def take_ids(self, keys: object, values: object) -> None: ...
