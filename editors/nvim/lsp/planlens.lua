-- planlens for Neovim 0.11 and newer. Put this folder on the 'runtimepath', and call: vim.lsp.enable('planlens')
local planlens = require('planlens')

return {
  cmd = { 'planlens', 'lsp' },
  -- Neovim takes an empty `.tf` file for `tf`.
  filetypes = { 'terraform', 'terraform-vars', 'opentofu', 'opentofu-vars', 'tf', 'hcl', 'yaml', 'json' },
  -- One server for a repository: it knows which root modules call which modules.
  root_dir = function(buffer, on_dir)
    if planlens.takes(buffer) then
      on_dir(vim.fs.root(buffer, { '.git', '.terraform', '.terraform.lock.hcl', 'terraform.tfstate', 'Pulumi.yaml' }))
    end
  end,
  -- The hints come as fast as the plan: by default Neovim waits 150 ms before it sends an edit.
  flags = { debounce_text_changes = 30 },
  capabilities = planlens.capabilities(),
  handlers = planlens.handlers,
  on_exit = planlens.on_exit,
  on_attach = function(server, buffer)
    planlens.attached(server, buffer)
    vim.lsp.inlay_hint.enable(true, { bufnr = buffer })
    planlens.show_lenses(buffer)
  end,
}
