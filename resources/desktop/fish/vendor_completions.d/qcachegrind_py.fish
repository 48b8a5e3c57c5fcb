complete -c qcachegrind_py -w qcachegrind-py
