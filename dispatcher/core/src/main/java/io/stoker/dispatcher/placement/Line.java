package io.stoker.dispatcher.placement;

import io.stoker.dispatcher.model.Shape;

/**
 * Jobs of a queue that ask for the same, in order of their rank: what a pass finds of its first
 * holds for all of them.
 *
 * @param plannedGroup their group, if that says what may start; else null
 */
public record Line(String queue, Shape shape, String plannedGroup) {
  static Line of(QueueHead head) {
    return new Line(head.queue(), head.shape(), head.plannedGroup());
  }
}
