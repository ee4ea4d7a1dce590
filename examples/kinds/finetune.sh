#!/bin/sh
# Pretends to train a model further: finetune.sh MODEL READER EPOCHS
epoch=0
while [ "$epoch" -lt "$3" ]; do
  epoch=$((epoch + 1))
  echo "#stoker:progress {\"done\": $epoch, \"total\": $3, \"message\": \"rate $RATE\"}"
done
echo "#stoker:result \"$1-on-$2\""
