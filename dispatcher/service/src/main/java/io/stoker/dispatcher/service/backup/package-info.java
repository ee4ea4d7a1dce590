/** Copies of the database, with where the topics stood, and what follows when one is put back. */
package io.stoker.dispatcher.service.backup;
