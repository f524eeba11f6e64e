local commands = { PlanlensPause = 'pause', PlanlensResume = 'resume', PlanlensReplan = 'replan' }
for name, command in pairs(commands) do
  vim.api.nvim_create_user_command(name, function() require('planlens').command(command) end, {})
end
vim.api.nvim_create_user_command('PlanlensPlan', function() require('planlens').plan() end, {})
