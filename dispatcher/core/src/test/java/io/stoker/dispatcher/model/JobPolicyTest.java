package io.stoker.dispatcher.model;

import static io.stoker.dispatcher.scenario.ARequest.aRequest;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.common.json.Json;
import io.stoker.common.json.MalformedJson;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.junit.jupiter.api.Test;

class JobPolicyTest {
  private static final JobPolicy USUAL = new JobPolicy(Map.of(), null, false, null, false, null);

  private static JobPolicy read(String text) throws MalformedJson {
    return Json.read(text.getBytes(StandardCharsets.UTF_8), JobPolicy.class);
  }

  @Test
  void text_ofAPlainRequest_saysOnlyWhatBuildsBeforeNeed() throws MalformedJson {
    JobPolicy plain = JobPolicy.of(aRequest("a").list("command", "python3", "train.py").build());

    assertThat(Json.text(plain)).isEqualTo("{\"attempts\":{}}");
    assertThat(read(Json.text(plain))).isEqualTo(plain).isEqualTo(USUAL);
  }

  @Test
  void text_ofWhatDiffers_isReadAsItWas() throws MalformedJson {
    JobPolicy policy = new JobPolicy(Map.of(), 5_000L, true, 2, true, 60_000L);

    assertThat(read(Json.text(policy))).isEqualTo(policy);
  }

  @Test
  void text_ofABuildBefore_isReadAsTheSame() throws MalformedJson {
    assertThat(read("{\"attempts\":{},\"requiresResult\":false,\"preemptible\":false}"))
        .isEqualTo(USUAL);
  }
}
