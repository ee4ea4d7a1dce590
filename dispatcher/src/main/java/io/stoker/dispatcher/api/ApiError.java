package io.stoker.dispatcher.api;

/**
 * Why a call was not answered; what does not apply is left out.
 *
 * @param field the field that is wrong, or the kind of thing that is not there
 * @param value what it held
 * @param expected what was expected of it
 * @param message all of it in a sentence
 */
public record ApiError(String field, String value, String expected, String message) {}
