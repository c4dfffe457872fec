// Copyright The mcp-convergence Authors
// SPDX-License-Identifier: Apache-2.0

/**
 * A user who always consents: visits the authorization page, follows no redirect, and takes the answer out of its target.
 * Both SDK majors take it as their OAuth provider.
 */

export class ConsentingUser {
  /** Where a runner that offers client metadata documents expects ours to be. */
  clientMetadataUrl = 'https://conformance-test.local/client-metadata.json';
  redirectUrl = 'http://localhost:3000/callback';
  clientMetadata = {
    client_name: 'conformance',
    redirect_uris: [this.redirectUrl],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'client_secret_post',
  };
  /** Query of the redirect that the last visit ended in. */
  callback;
  /** Registrations by issuer: one made with another authorization server is worth nothing. */
  #clients = new Map();
  #registered;
  #tokens;
  #verifier;

  /** @param registered a registration made beforehand, or undefined */
  constructor(registered) {
    this.#registered = registered;
  }

  clientInformation(context) {
    return this.#clients.get(context?.issuer) ?? this.#registered;
  }

  saveClientInformation(client, context) {
    this.#clients.set(context?.issuer, client);
  }

  tokens() {
    return this.#tokens;
  }

  saveTokens(tokens) {
    this.#tokens = tokens;
  }

  codeVerifier() {
    return this.#verifier;
  }

  saveCodeVerifier(verifier) {
    this.#verifier = verifier;
  }

  invalidateCredentials(scope) {
    if (scope === 'all' || scope === 'client') this.#clients.clear();
    if (scope === 'all' || scope === 'tokens') this.#tokens = undefined;
  }

  async redirectToAuthorization(url) {
    const response = await fetch(url, { redirect: 'manual' });
    this.callback = new URL(response.headers.get('location')).searchParams;
  }
}

/** More consents than this in one run is a loop that a client has to break. */
const MAX_CONSENTS = 2;

/** Does `action`, consenting and trying again as long as it is refused for want of authorization. */
export async function authorized(action, { user, finish, isUnauthorized }) {
  for (let consents = 0; ; consents++) {
    try {
      return await action();
    } catch (error) {
      if (!isUnauthorized(error) || consents === MAX_CONSENTS || !user.callback) throw error;
      await finish(user.callback);
      user.callback = undefined;
    }
  }
}
