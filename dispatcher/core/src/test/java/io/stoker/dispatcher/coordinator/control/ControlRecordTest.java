package io.stoker.dispatcher.coordinator.control;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.dispatcher.coordinator.record.Received;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ControlRecordTest {
  @ParameterizedTest
  @CsvSource({
    "'', ''",
    "c, 1",
    "cc, 2",
    "ccc, 3",
    "ppp, '1 1 1'",
    "ccpcc, '2 1 2'",
    "cxc, '1 1 1'",
    "cic, '1 1 1'",
    "cnc, '1 1 1'",
    "pcc, '1 2'",
    "ccx, '2 1'",
  })
  void adjacentCancelsAreOneRun(String messages, String sizes) {
    List<List<ControlRecord>> runs =
        ControlRecord.runs(
            IntStream.range(0, messages.length()).mapToObj(i -> record(messages, i)).toList());

    assertThat(runs)
        .extracting(List::size)
        .containsExactlyElementsOf(
            Arrays.stream(sizes.split(" "))
                .filter(s -> !s.isEmpty())
                .map(Integer::valueOf)
                .toList());
    assertThat(runs.stream().flatMap(List::stream).map(asked -> asked.record().offset()))
        .containsExactlyElementsOf(LongStream.range(0, messages.length()).boxed().toList());
  }

  private static Received record(String messages, int i) {
    String body =
        switch (messages.charAt(i)) {
          case 'c' -> "{\"type\":\"cancel\",\"id\":\"m%d\",\"request\":\"r%d\"}".formatted(i, i);
          case 'i' -> "{\"type\":\"cancel\",\"id\":\"m%d\",\"request\":\"no id!\"}".formatted(i);
          case 'n' -> "{\"type\":\"cancel\",\"id\":\"m%d\"}".formatted(i);
          case 'p' ->
              "{\"type\":\"priority\",\"id\":\"m%d\",\"request\":\"r\",\"priority\":1}"
                  .formatted(i);
          default -> "no message";
        };
    return new Received(
        "control", 0, i, null, Optional.empty(), body.getBytes(StandardCharsets.UTF_8));
  }
}
