package io.stoker.common.message;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stoker.common.json.Json;
import io.stoker.common.json.MalformedJson;
import io.stoker.common.message.ToAgent.Cancel;
import io.stoker.common.message.ToAgent.Part;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PartsTest {
  private final Parts parts = new Parts();

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 7, 64, 10_000})
  void aMessageIsPutTogetherFromPiecesOfAnySize(int most) throws MalformedJson {
    Cancel message = new Cancel("job-1", 3, "größer als 😀 " + "x".repeat(100));
    List<ToAgent> heard = new ArrayList<>();

    for (Part part : Parts.cut(message, most)) {
      heard.addAll(hear(part));
    }

    assertThat(heard).containsExactly(message);
  }

  @Test
  void aPieceIsNeverLargerThanItMayBe() {
    Cancel message = new Cancel("job-1", 3, "x".repeat(1000));
    int bytes = Json.bytes(message).length;

    assertThat(Parts.cut(message, bytes)).hasSize(1);
    assertThat(Parts.cut(message, bytes - 1)).hasSize(2);
    assertThat(Parts.cut(message, bytes + 1)).hasSize(1);
  }

  @Test
  void partsMayComeTwiceAndBetweenThoseOfOthers() throws MalformedJson {
    Cancel one = new Cancel("job-1", 1, "x".repeat(50));
    Cancel other = new Cancel("job-2", 1, "y".repeat(50));
    List<Part> all = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      all.addAll(Parts.cut(one, 20));
      all.addAll(Parts.cut(other, 20));
    }
    Collections.shuffle(all, new Random(1));
    List<ToAgent> heard = new ArrayList<>();

    for (Part part : all) {
      heard.addAll(hear(part));
    }

    assertThat(heard).contains(one, other);
  }

  @Test
  void whoMissedAPartHearsTheMessageWhenItIsToldAgain() throws MalformedJson {
    Cancel message = new Cancel("job-1", 1, "x".repeat(50));
    List<Part> told = Parts.cut(message, 20);
    List<ToAgent> heard = new ArrayList<>();
    for (Part part : told.subList(1, told.size())) {
      heard.addAll(hear(part));
    }
    assertThat(heard).isEmpty();

    for (Part part : told) {
      heard.addAll(hear(part));
    }

    assertThat(heard).containsExactly(message);
  }

  @Test
  void whatIsNeverWholeGivesWay() throws MalformedJson {
    for (int i = 0; i < 1000; i++) {
      hear(Parts.cut(new Cancel("job-" + i, 1, "x".repeat(50)), 20).getFirst());
    }
    Cancel message = new Cancel("last", 1, "x".repeat(50));
    List<ToAgent> heard = new ArrayList<>();

    for (Part part : Parts.cut(message, 20)) {
      heard.addAll(hear(part));
    }

    assertThat(heard).containsExactly(message);
  }

  @Test
  void otherMessagesOfTheRecordStay() throws MalformedJson {
    Cancel plain = new Cancel("job-1", 1, "no");
    PlacementsRecord none = new PlacementsRecord("h", 1, List.of(plain));
    PlacementsRecord mixed =
        new PlacementsRecord("h", 1, List.of(Parts.cut(plain, 5).getFirst(), plain));

    assertThat(parts.whole(none)).isSameAs(none);
    assertThat(parts.whole(mixed).messages()).containsExactly(plain);
  }

  @Test
  void partsThatMakeNoMessageAreRefused() {
    Part rest = new Part("a", 2, 2, "");
    Part noBase64 = new Part("b", 0, 1, "?");
    Part noJson = new Part("c", 0, 1, "AAAA");

    assertThatThrownBy(() -> hear(rest)).isInstanceOf(MalformedJson.class);
    assertThatThrownBy(() -> hear(noBase64)).isInstanceOf(MalformedJson.class);
    assertThatThrownBy(() -> hear(noJson)).isInstanceOf(MalformedJson.class);
    assertThat(Parts.plausible(rest)).isFalse();
    assertThat(Parts.plausible(new Part("a", 0, Integer.MAX_VALUE, ""))).isFalse();
    assertThat(Parts.plausible(new Part(null, 0, 1, ""))).isFalse();
    assertThat(Parts.plausible(noBase64)).isTrue();
  }

  private List<ToAgent> hear(Part part) throws MalformedJson {
    return parts.whole(new PlacementsRecord("h", 1, List.of(part))).messages();
  }
}
