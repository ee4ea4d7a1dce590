package io.stoker.dispatcher.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.smallrye.mutiny.Uni;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class BisectionTest {
  private final List<List<Integer>> done = new ArrayList<>();
  private final List<String> refused = new ArrayList<>();

  private void apply(int size, Set<Integer> bad) {
    Bisection<Integer> bisection =
        new Bisection<>(
            batch ->
                Uni.createFrom()
                    .item(
                        () -> {
                          batch.stream()
                              .filter(bad::contains)
                              .findFirst()
                              .ifPresent(
                                  one -> {
                                    throw new IllegalStateException("because of " + one);
                                  });
                          done.add(List.copyOf(batch));
                          return null;
                        }),
            (one, error) -> {
              refused.add(one + " " + error.getMessage());
              return Uni.createFrom().voidItem();
            });
    bisection.apply(IntStream.range(0, size).boxed().toList()).await().indefinitely();
  }

  static Stream<Arguments> batches() {
    return Stream.of(
        Arguments.of(0, Set.of()),
        Arguments.of(1, Set.of()),
        Arguments.of(1, Set.of(0)),
        Arguments.of(2, Set.of(1)),
        Arguments.of(7, Set.of(0, 6)),
        Arguments.of(64, Set.of(13)),
        Arguments.of(5, Set.of(0, 1, 2, 3, 4)));
  }

  @ParameterizedTest
  @MethodSource("batches")
  void eachIsDoneOnceInOrderOrRefusedForItsOwnReason(int size, Set<Integer> bad) {
    apply(size, bad);

    assertThat(done.stream().flatMap(List::stream))
        .containsExactlyElementsOf(
            IntStream.range(0, size).boxed().filter(one -> !bad.contains(one)).toList());
    assertThat(refused)
        .containsExactlyElementsOf(
            bad.stream().sorted().map(one -> one + " because of " + one).toList());
  }

  @Test
  void whatIsWellIsDoneAtOnce() {
    apply(64, Set.of());
    assertThat(done).hasSize(1);
  }

  @Test
  void oneBadCostsAFewPartsMore() {
    apply(64, Set.of(13));
    assertThat(done).as("a part for each time that it was halved").hasSize(6);
  }
}
