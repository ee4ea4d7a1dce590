package io.stoker.agent.ssh;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MappingFileTest {
  @TempDir Path folder;
  private Path mapping;

  @BeforeEach
  void layOut() throws Exception {
    mapping = folder.resolve("nodes");
    Files.writeString(folder.resolve("id"), "a key");
  }

  @Test
  void aLineNamesUserHostPortAndKey() {
    assertThat(
            NodeLine.nodes(
                    mapping,
                    List.of("# nodes", "", "anna@gpu-1", "  bo@10.0.0.2:2222   id ", "c@[::1]:23"))
                .values())
        .containsExactly(
            new Node("anna", "gpu-1", 22, Optional.empty(), "gpu-1"),
            new Node("bo", "10.0.0.2", 2222, Optional.of(folder.resolve("id")), "10.0.0.2"),
            new Node("c", "::1", 23, Optional.empty(), "::1"));
  }

  @Test
  void aLineMaySayWhichGpusThereAre() {
    assertThat(
            NodeLine.nodes(
                    mapping,
                    List.of(
                        "a@gpu-1 gpus=1,0,1",
                        "a@gpu-2:23 id gpus=GPU-5e,MIG-77",
                        "a@gpu-3 gpu-memory=24GiB gpus=2 id",
                        "a@gpu-4 gpus="))
                .values())
        .extracting(Node::host, node -> node.key().isPresent(), Node::gpus)
        .containsExactly(
            tuple("gpu-1", false, Optional.of(NodeGpus.of("1", "0"))),
            tuple("gpu-2", true, Optional.of(NodeGpus.of("GPU-5e", "MIG-77"))),
            tuple(
                "gpu-3", true, Optional.of(new NodeGpus(List.of("2"), OptionalLong.of(24L << 30)))),
            tuple("gpu-4", false, Optional.of(NodeGpus.of())));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "gpu-1 | expected user@host[:port] [keyfile]",
        "@gpu-1 | expected user@host",
        "anna@ | expected user@host",
        "anna@gpu-1:ssh | port 'ssh' is not a number",
        "anna@gpu-1:0 | port '0' is not a number from 1",
        "anna@gpu-1:65536 | port '65536'",
        "anna@gpu-1: | port ''",
        "anna@gpu-1 id more | expected user@host",
        "anna@gpu-1 nokey | nokey cannot be read",
        "anna@a@b | expected user@host",
        "anna@gpu-1 gpus=0 gpus=1 | gpus= is there twice; expected user@host[:port] [keyfile]",
        "anna@gpu-1 gpu=0 | 'gpu=0' is neither gpus=… nor gpu-memory=…",
        "anna@gpu-1 gpu-memory=24GiB | gpu-memory=24GiB says nothing without gpus=",
        "anna@gpu-1 gpus=0 gpu-memory=24 | gpu-memory: ",
        "anna@gpu-1 gpus=0 gpu-memory=24Gb | 24Gb",
        "anna@gpu-1 gpus=a100 | 'a100' is no device id; expected an index such as 0",
      })
  void aBadLineIsNamed(String line, String why) {
    assertThatThrownBy(() -> NodeLine.nodes(mapping, List.of("ok@gpu-0", line)))
        .isInstanceOf(MappingException.class)
        .hasMessageContaining(mapping + ": line 2 '" + line + "'")
        .hasMessageContaining(why);
  }

  @Test
  void everyBadLineIsNamed() {
    assertThatThrownBy(() -> NodeLine.nodes(mapping, List.of("x", "a@b", "y", "a@b:22")))
        .hasMessageContaining("line 1 'x'")
        .hasMessageContaining("line 3 'y'")
        .hasMessageContaining("line 4 'a@b:22': a@b:22 is there twice");
  }

  @Test
  void aFileWithoutNodesIsRefused() {
    assertThatThrownBy(() -> NodeLine.nodes(mapping, List.of("# none")))
        .hasMessageContaining("it names no machine");
  }

  @Test
  void aMissingFileIsNamed() {
    assertThatThrownBy(() -> NodeLine.nodes(folder.resolve("none")))
        .hasMessageContaining(folder.resolve("none") + ": it cannot be read");
  }
}
