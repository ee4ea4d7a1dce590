package io.stoker.dispatcher.coordinator.intake;

import io.stoker.common.request.RequestArray;
import io.stoker.common.request.RequestRefused;
import io.stoker.dispatcher.coordinator.record.Received;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * The place that a request comes from: a record, or an element of the array in a record.
 *
 * @param index within the array, from 0; empty if the record is the request itself
 * @param text of the request, as it was written
 */
record Origin(Received record, OptionalInt index, byte[] text) {
  /** The requests of a record, unread; one, which is the record itself, if it is no array. */
  static List<Origin> of(Received record) throws RequestRefused {
    if (!RequestArray.isArray(record.value())) {
      return List.of(whole(record));
    }
    List<byte[]> elements = RequestArray.split(record.value(), record.eventId());
    List<Origin> origins = new ArrayList<>(elements.size());
    for (byte[] element : elements) {
      origins.add(new Origin(record, OptionalInt.of(origins.size()), element));
    }
    return origins;
  }

  static Origin whole(Received record) {
    return new Origin(record, OptionalInt.empty(), record.value());
  }

  /** The id that the transport carries; within an array there is none. */
  Optional<String> eventId() {
    return record.eventId();
  }

  /** What is said of it, with its place in the record. */
  String sentence(String reason) {
    return index.isEmpty() ? reason : "requests[%d]: %s".formatted(index.getAsInt(), reason);
  }

  /** Bytes that it takes as it came. */
  long bytes() {
    return text == null ? 0 : text.length;
  }
}
