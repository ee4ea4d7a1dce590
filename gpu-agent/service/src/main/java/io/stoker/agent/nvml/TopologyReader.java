package io.stoker.agent.nvml;

import com.sun.jna.Pointer;
import io.stoker.agent.gpu.NvLink;
import io.stoker.agent.gpu.NvmlCodes;
import io.stoker.agent.gpu.PciAddress;
import io.stoker.agent.gpu.TopologyLevel;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Reads how GPUs are connected. */
record TopologyReader(OptionalSymbols optional, Calls calls) {
  /** The most links that any GPU has. */
  private static final int MAX_LINKS = 18;

  Optional<TopologyLevel> between(long first, long second, String subject) {
    return calls
        .struct(
            "nvmlDeviceGetTopologyCommonAncestor",
            subject,
            Integer.BYTES,
            out -> optional.topologyCommonAncestor.call(first, second, out),
            out -> out.getInt(0))
        .flatMap(TopologyLevel::of);
  }

  List<NvLink> links(long device, String uuid) {
    List<NvLink> links = new ArrayList<>();
    for (int link = 0; link < MAX_LINKS; link++) {
      if (isActive(device, uuid, link)) {
        int number = link;
        remote(device, uuid, link).ifPresent(remote -> links.add(new NvLink(number, remote)));
      }
    }
    return List.copyOf(links);
  }

  /** A link that the GPU does not have is told as an argument that is not valid. */
  private boolean isActive(long device, String uuid, int link) {
    return calls.inMemory(
        Integer.BYTES,
        out -> {
          int code = optional.nvLinkState.call(device, link, Pointer.nativeValue(out));
          return code != NvmlCodes.INVALID_ARGUMENT
              && calls.isPresent(code, "nvmlDeviceGetNvLinkState", uuid)
              && out.getInt(0) != 0;
        });
  }

  private Optional<PciAddress> remote(long device, String uuid, int link) {
    return calls.struct(
        "nvmlDeviceGetNvLinkRemotePciInfo_v2",
        uuid,
        Layouts.PciInfo.SIZE,
        out -> optional.nvLinkRemotePci.call(device, link, out),
        DeviceQuestions::pciAddress);
  }
}
