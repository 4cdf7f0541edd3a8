/** Says what to do when the system does not hand out a port. Windows reserves whole ranges, for Hyper-V and WSL among others. */
export function explainForbiddenPort(flag: string, platform: NodeJS.Platform = process.platform): string {
  return platform === 'win32'
    ? `Windows may have reserved it: 'netsh int ipv4 show excludedportrange protocol=tcp' lists the ranges. Choose a ${flag} outside of them.`
    : `Choose a ${flag} above 1023.`;
}
