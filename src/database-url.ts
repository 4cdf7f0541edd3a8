/** Splits the URL of a PostgreSQL database with comma-separated hosts into one URL per host; empty for another string. */
export function databaseUrls(text: string): readonly URL[] {
  const [, start = '', hosts = '', end = ''] = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#]*)(.*)$/s.exec(text) ?? [];
  const urls = hosts.split(',').map((host) => start + host + end);
  return urls.every((url) => URL.canParse(url)) ? urls.map((url) => new URL(url)) : [];
}
