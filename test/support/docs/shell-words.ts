/** Splits a command line of the documents as a shell does, up to a comment, another command, or the end of what contains it. */
export function shellWords(line: string): readonly string[] {
  const [own = ''] = line.split(/ #|>>|\||&&|;|\)|"?\]/);
  return [...own.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(
    ([, single, double, bare = '']) => single ?? double ?? bare,
  );
}
