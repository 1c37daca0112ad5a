// HTTP client of the API. Requests that change something carry the headers named by the session.
let headers = {};

export class ApiError extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

/** The session may have ended: load it again. */
export const lookAgain = () => dispatchEvent(new Event('outbox:session'));

async function send(method, path, body, signal) {
  const change = method !== 'GET';
  const response = await fetch('api/v1' + path, {
    method,
    signal,
    credentials: 'same-origin',
    headers: change ? { 'X-Outbox-Request': '1', 'Content-Type': 'application/json', ...headers } : {},
    body: change ? JSON.stringify(body ?? {}) : undefined,
  });
  const text = await response.text();
  let json = null;
  try {
    json = text ? JSON.parse(text) : null;
  } catch {
    /* not ours, such as a proxy's page */
  }
  if (response.status === 401 && path !== '/session') lookAgain();
  if (!response.ok) throw new ApiError(response.status, json?.error ?? `${response.status} ${response.statusText}`);
  return json;
}

export const get = (path, signal) => send('GET', path, undefined, signal);
export const post = (path, body) => send('POST', path, body);
export const put = (path, body) => send('PUT', path, body);
export const del = (path, body) => send('DELETE', path, body);
/** Encodes a name as one path segment, in URL-safe Base64. */
export const segment = (name) =>
  btoa(String.fromCharCode(...new TextEncoder().encode(name)))
    .replace(/\+/g, '-')
    .replace(/\//g, '_')
    .replace(/=+$/, '');
export const app = (name) => '/apps/' + encodeURIComponent(name);

export async function session() {
  const found = await get('/session');
  headers = found.headers ?? {};
  return found;
}

export async function logIn(name, password) {
  const response = await fetch('api/v1/login', {
    method: 'POST',
    credentials: 'same-origin',
    headers: { 'X-Outbox-Request': '1', 'Content-Type': 'application/x-www-form-urlencoded', ...headers },
    body: new URLSearchParams({ username: name, password }),
  });
  if (!response.ok) {
    const problem = await response.json().catch(() => null);
    throw new ApiError(response.status, problem?.error ?? String(response.status));
  }
}

export const logOut = () =>
  fetch('api/v1/logout', {
    method: 'POST',
    credentials: 'same-origin',
    headers: { 'X-Outbox-Request': '1', ...headers },
  });
