package io.stoker.agent.spawn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stoker.agent.device.CpuSet;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

class OrderTest {

  @Test
  void ordersComeAsTheyWereGivenAndThenTheEnd() throws IOException {
    List<Order> given =
        List.of(
            new Order("a-1", "/bin/true", "/tmp", false, List.of("true"), List.of(), CpuSet.NONE),
            new Order(
                "b-2",
                "/bin/sh",
                "/srv/ä b",
                true,
                List.of("sh", "-c", "echo \"x\"\n"),
                List.of("A=" + "v".repeat(100_000), "EMPTY=", "TWO=a=b"),
                CpuSet.parse("0-3,70")));
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    DataOutputStream out = new DataOutputStream(bytes);
    for (Order order : given) {
      order.write(out);
    }
    DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes.toByteArray()));
    assertThat(List.of(Order.read(in), Order.read(in))).isEqualTo(given);
    assertThatThrownBy(() -> Order.read(in)).isInstanceOf(EOFException.class);
  }

  @Test
  void behind_beginsByAnotherProgram_andKeepsWhereItRuns() {
    Order own =
        new Order(
            "a-1",
            "job.sh",
            "/srv",
            true,
            List.of("job", "-v"),
            List.of("A=b"),
            CpuSet.parse("2,3"));
    assertThat(own.behind("/bin/nice", List.of("nice", "-n5")))
        .isEqualTo(
            new Order(
                "a-1",
                "/bin/nice",
                "/srv",
                true,
                List.of("nice", "-n5", "./job.sh", "-v"),
                List.of("A=b"),
                CpuSet.parse("2,3")));
  }
}
