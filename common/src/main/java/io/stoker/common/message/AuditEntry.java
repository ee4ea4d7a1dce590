package io.stoker.common.message;

import java.util.List;

/**
 * An entry of the audit topic: that somebody has changed something, or tried to.
 *
 * @param at when, ISO 8601
 * @param who by the login; null if nobody had to say who they are, or it is not known
 * @param from address of the caller; null of what came by a topic
 * @param via {@code rest}, or the topic that it came by
 * @param what was called, such as {@code DELETE /requests/train-1}; of a control message its type
 *     and what it is about, such as {@code cancel train-1}
 * @param ids of the requests that were posted, the first of them; else null
 * @param message id of the control message; else null
 * @param outcome status of the answer; of a control message {@code done} or {@code refused}
 * @param reason why it was refused; null if it was not, or if the outcome says so
 */
public record AuditEntry(
    String at,
    String who,
    String from,
    String via,
    String what,
    List<String> ids,
    String message,
    String outcome,
    String reason) {}
