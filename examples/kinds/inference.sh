#!/bin/sh
# Pretends to run a model over a reader's data: inference.sh MODEL READER
echo "#stoker:result {\"features\": \"$1/$2\"}"
