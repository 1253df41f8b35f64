/**
 * Permissions of users. Everything is allowed until a test denies it. Each request is checked, and
 * {@code SelfSubjectAccessReview} tells users their permissions.
 */
@NullMarked
package io.numaledger.fakeapiserver.access;

import org.jspecify.annotations.NullMarked;
