import type { Http } from './http.ts';

/** The actions of one domain, such as `posthorn.posts`. */
export class Namespace {
  protected readonly http: Http;

  constructor(http: Http) {
    this.http = http;
  }
}
