package io.stoker.dispatcher.service.postgres;

import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;

/** Without any entity there are no sessions; no query asks for this one. See {@link Queries}. */
@Entity
@Table(name = "request")
class RequestEntity {
  @Id String id;
}
