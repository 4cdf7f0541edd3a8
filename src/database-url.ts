/**
 * Returns the URL of a database of PostgreSQL once for each of its hosts, which are separated by commas. Returns nothing for
 * a text that is not such a URL.
 */
export function databaseUrls(text: string): readonly URL[] {
  const [, start = '', hosts = '', end = ''] = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#]*)(.*)$/s.exec(text) ?? [];
  const urls = hosts.split(',').map((host) => start + host + end);
  return urls.every((url) => URL.canParse(url)) ? urls.map((url) => new URL(url)) : [];
}
