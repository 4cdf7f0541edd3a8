import * as vscode from 'vscode';

/** A list of items in the side bar. */
export class Tree<Item> implements vscode.TreeDataProvider<Item> {
  readonly #changed = new vscode.EventEmitter<undefined>();
  readonly onDidChangeTreeData = this.#changed.event;
  readonly getTreeItem: (item: Item) => vscode.TreeItem;
  readonly #load: () => Promise<readonly Item[]> | readonly Item[];

  /** `load` returns the items; its errors are shown in their place. `show` returns how one looks. */
  constructor(load: () => Promise<readonly Item[]> | readonly Item[], show: (item: Item) => vscode.TreeItem) {
    this.#load = load;
    this.getTreeItem = show;
  }

  async getChildren(parent?: Item): Promise<Item[]> {
    return parent === undefined ? [...(await this.#load())] : [];
  }

  /** Loads the items again. */
  refresh(): void {
    this.#changed.fire(undefined);
  }
}
