package io.stoker.dispatcher.experiment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.function.DoubleUnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class CurveFitTest {
  static Stream<Arguments> curves() {
    return Stream.of(
        Arguments.of("power", (DoubleUnaryOperator) x -> 0.95 - 0.6 * Math.pow(x, -0.7)),
        Arguments.of("a loss", (DoubleUnaryOperator) x -> 0.1 + 2 * Math.pow(x, -1.3)),
        Arguments.of("exponential", (DoubleUnaryOperator) x -> 0.8 - 0.5 * Math.exp(-0.4 * x)),
        Arguments.of("logarithm", (DoubleUnaryOperator) x -> 1 + 0.2 * Math.log(x)),
        Arguments.of("constant", (DoubleUnaryOperator) x -> 3));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("curves")
  void findsTheCurveThatPointsCameFrom(String name, DoubleUnaryOperator curve) {
    double end = curve.applyAsDouble(100);
    assertThat(CurveFit.predict(points(10, curve), 100))
        .isCloseTo(end, within(0.02 * Math.abs(end)));
  }

  @Test
  void isBoundedByNoise() {
    DoubleUnaryOperator noisy = x -> 0.9 - 0.5 / x + (x % 2 == 0 ? 0.01 : -0.01);
    assertThat(CurveFit.predict(points(12, noisy), 50)).isBetween(0.8, 1.0);
  }

  @Test
  void manyPointsAreFittedToo() {
    assertThat(CurveFit.predict(points(20_000, x -> 1 - 1 / x), 40_000)).isCloseTo(1, within(0.01));
  }

  private static double[] points(int count, DoubleUnaryOperator curve) {
    return IntStream.rangeClosed(1, count).mapToDouble(curve::applyAsDouble).toArray();
  }
}
