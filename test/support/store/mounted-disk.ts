import { execFileSync } from 'node:child_process';
import { rmSync, statfsSync } from 'node:fs';
import { makeFolder } from '../programs/make-folder.js';

/** A mounted file system in memory. */
export interface MountedDisk {
  /** The folder where it is mounted. */
  readonly folder: string;
  /** Forbids all writing, or allows it again. */
  setReadOnly(readOnly: boolean): void;
  /** Returns how much of it is used. Unit: KiB. */
  usedKib(): number;
  /** Changes its size. Fails if more than that is used. */
  resize(kib: number): void;
  /** Changes its size so that this much is free. */
  leaveFree(kib: number): void;
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
  const usedKib = () => {
    const { blocks, bavail, bsize } = statfsSync(folder);
    return ((blocks - bavail) * bsize) / 1024;
  };
  const resize = (other: number) => mount('-o', `remount,size=${other}k`, folder);
  return {
    folder,
    setReadOnly: (readOnly) => mount('-o', `remount,${readOnly ? 'ro' : 'rw'}`, folder),
    usedKib,
    resize,
    leaveFree(free) {
      for (let attempt = 1; ; attempt++) {
        try {
          return resize(usedKib() + free);
        } catch (failure) {
          // A program has written in between.
          if (attempt === 1000) throw failure;
        }
      }
    },
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
