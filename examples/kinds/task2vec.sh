#!/bin/sh
# Pretends to embed a task: task2vec.sh READER
echo "task2vec of $1"
echo "#stoker:result [0.1, 0.2, 0.3]"
