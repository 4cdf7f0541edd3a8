import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { makeFolder } from './make-folder.js';

/** A mounted file system in memory. */
export interface MountedDisk {
  /** The folder where it is mounted. */
  readonly folder: string;
  /** Forbids all writing, or allows it again. */
  setReadOnly(readOnly: boolean): void;
  /** Changes its size. */
  resize(kib: number): void;
  /** Unmounts and removes it with its content. */
  unmount(): void;
}

function mount(...words: readonly string[]): void {
  execFileSync('mount', words, { stdio: 'ignore' });
}

/** Mounts a disk of this many KiB. */
export async function mountDisk(kib: number): Promise<MountedDisk> {
  const folder = await makeFolder();
  mount('-t', 'tmpfs', '-o', `size=${kib}k`, 'tmpfs', folder);
  return {
    folder,
    setReadOnly: (readOnly) => mount('-o', `remount,${readOnly ? 'ro' : 'rw'}`, folder),
    resize: (other) => mount('-o', `remount,size=${other}k`, folder),
    unmount() {
      execFileSync('umount', ['--lazy', folder]);
      rmSync(folder, { recursive: true });
    },
  };
}

/** The reason why a test that mounts disks cannot run here, for its title. Empty if it can run. */
export const whyNoDisk: string = await mountDisk(64).then(
  (disk) => {
    disk.unmount();
    return '';
  },
  () => ' (skipped: mounting a disk is not permitted here)',
);
