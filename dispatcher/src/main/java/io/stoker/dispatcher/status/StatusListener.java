package io.stoker.dispatcher.status;

import io.stoker.common.message.RequestStatus;
import java.util.List;

/** Hears of statuses once the broker has them; must not block, and must not fail. */
public interface StatusListener {
  void published(List<RequestStatus> statuses);
}
