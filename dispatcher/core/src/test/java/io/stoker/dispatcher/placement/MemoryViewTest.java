package io.stoker.dispatcher.placement;

import static io.stoker.dispatcher.scenario.ARequest.aRequest;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.dispatcher.memory.Estimate;
import io.stoker.dispatcher.memory.Estimate.From;
import io.stoker.dispatcher.memory.MemoryRules;
import io.stoker.dispatcher.memory.Peaks;
import io.stoker.dispatcher.model.MemoryKeys.Of;
import io.stoker.dispatcher.model.Shape;
import io.stoker.dispatcher.scenario.ARequest;
import java.util.List;
import org.junit.jupiter.api.Test;

class MemoryViewTest {
  private static final Estimate THREE =
      new MemoryRules(0.95, 0.1)
          .estimate(Of.GPU, From.LIKE_JOBS, new Peaks(List.of(3L << 30), 1))
          .orElseThrow();

  @Test
  void saysWhatIsKnownAndWhatFollows() {
    ARequest silent = aRequest("r").gpus(1).resource("sharing", "shared");
    ARequest declared =
        aRequest("r").gpus(1).resource("sharing", "shared").resource("gpuMemory", "6GiB");

    assertThat(sentence(silent, false, null))
        .isEqualTo(
            "nothing like it was measured yet; the request says nothing; it gets its GPU(s) alone,"
                + " unless a host assumes what such jobs take");
    assertThat(sentence(declared, false, null))
        .endsWith("the request says 6 GiB; it shares where what it says is free");
    assertThat(sentence(declared, false, THREE))
        .isEqualTo(
            "it is expected to take 3.3 GiB on each GPU: of 1 job(s) like it measured, 95 % took 3"
                + " GiB at most, and a margin; the request says 6 GiB; it shares where so much is"
                + " free");
    assertThat(sentence(aRequest("r").gpus(1), false, THREE)).endsWith("it has its GPU(s) alone");
    assertThat(sentence(declared, true, THREE))
        .endsWith("since it ran out of GPU memory, it gets its GPU(s) alone, the largest first");
  }

  private static String sentence(ARequest request, boolean ranOut, Estimate expected) {
    return MemoryView.of(Shape.of(request.build().resources()), ranOut, expected).sentence();
  }
}
