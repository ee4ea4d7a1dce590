package io.stoker.common.size;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ByteSizeTest {
  @ParameterizedTest
  @CsvSource({
    "0, 0 B",
    "1023, 1023 B",
    "1024, 1 KiB",
    "1610612736, 1.5 GiB",
    "3221225472, 3 GiB",
    "1125899906842624, 1 PiB",
    "9223372036854775807, 8 EiB"
  })
  void isShownInTheUnitThatFits(long bytes, String text) {
    assertThat(ByteSize.text(bytes)).isEqualTo(text);
  }

  @ParameterizedTest
  @CsvSource({
    "4GB, 4000000000",
    "1GiB, 1073741824",
    "789MiB, 827326464",
    "789 MiB, 827326464",
    "2.5GB, 2500000000",
    "123KB, 123000",
    "100B, 100",
    "6GiB, 6442450944",
    "2GiB, 2147483648",
    "1KiB, 1024",
    "1MB, 1000000",
    "1TB, 1000000000000",
    "1TiB, 1099511627776",
    "1PB, 1000000000000000",
    "1PiB, 1125899906842624",
    "1EB, 1000000000000000000",
    "9.223372036854775807EB, 9223372036854775807",
    "1EiB, 1152921504606846976",
    "0.5KiB, 512",
    "1.000B, 1",
    "007B, 7",
    "0B, 0",
    "3   KB, 3000",
    "9223372036854775807B, 9223372036854775807",
    "0.1KB, 100"
  })
  void readsSizesExactly(String text, long bytes) {
    assertThat(ByteSize.parse(text)).isEqualTo(bytes);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " ",
        "4",
        "4096",
        "-1GB",
        "-0B",
        "+1GB",
        "4Gb",
        "4gb",
        "4kb",
        "4b",
        "1kB",
        "6G",
        "1ZB",
        "10EB",
        "8EiB",
        "1gib",
        "GB",
        "1.5B",
        "0.1B",
        "0.1KiB",
        "NaN",
        "NaNGB",
        "Infinity",
        "1e3B",
        ".5KB",
        "5.KB",
        "1,5GB",
        " 1GB",
        "1GB ",
        "1\tGB",
        "1 G B",
        "1GB2",
        "٤GB",
        "9223372036854775808B",
        "8388608TiB",
        "9999999999999999999999999GB"
      })
  void refusesWhatItWouldHaveToGuess(String text) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> ByteSize.parse(text))
        .withMessageContaining("\"" + text + "\"")
        .withMessageContaining(ByteSize.EXPECTED);
  }

  @Test
  void refusesAMillionDigitsAtOnce() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> ByteSize.parse("0".repeat(1_000_000) + "1B"));
  }
}
