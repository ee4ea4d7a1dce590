package io.stoker.cli.rest;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.cli.input.Submission;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RequestsTest {
  @ParameterizedTest
  @CsvSource({
    "200, 100, true",
    "201, 100, false",
    // With brackets and commas just two MiB, and more.
    "1, 2097150, true",
    "1, 2097151, false",
    "3, 699049, true",
    "3, 699050, false"
  })
  void onePostHoldsTwoHundredRequestsOfTwoMebibytesTogether(int count, int bytes, boolean fits) {
    List<Submission> requests = Collections.nCopies(count, new Submission("a", new byte[bytes]));

    assertThat(Requests.fitOnePost(requests)).isEqualTo(fits);
  }
}
