import * as vscode from 'vscode';

/** Starts blobs and queues of the Azurite extension, if it is there: Azure Functions needs them beside the tables. */
export async function startBlobsAndQueues(log: vscode.LogOutputChannel): Promise<void> {
  if (!vscode.extensions.getExtension('Azurite.azurite')) {
    log.warn('Blobs and queues were not started: the extension Azurite.azurite is not installed.');
    return;
  }
  await vscode.commands.executeCommand('azurite.start_blob');
  await vscode.commands.executeCommand('azurite.start_queue');
}
